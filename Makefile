# Every target sets up what it needs: a virtual environment from the lock, the PHREEQC databases, and (all but demo) the
# sandbox's Python.
# Python: the first of PYTHON, python3.13, python3.12, python3.11, python3 that is 3.11 to 3.13.

VENV   ?= .venv
BIN    := $(VENV)/bin
# Without bytecode every start is about three times slower, and uv writes none unless asked.
unexport PYTHONDONTWRITEBYTECODE
export UV_COMPILE_BYTECODE = 1
# uv brings its own list of authorities; a machine behind a proxy has the one that counts in the system's.
ifneq ($(wildcard /etc/ssl/certs/ca-certificates.crt),)
export UV_SYSTEM_CERTS ?= 1
endif

# Tests run in so many processes at a time: one more than the two cores they are made for, since some wait.
export WORKERS ?= 3
# Seconds after which a test of the acceptance is taken to hang. The longest need a minute on a quiet machine.
HANGING ?= 1200

.PHONY: demo test accept soak check bench docs site manifests attack lock setup clean

demo: $(VENV)/.installed
	@$(BIN)/labrig setup phreeqc >/dev/null || $(BIN)/labrig setup phreeqc
	$(BIN)/labrig demo --out out/demo-$$(date +%Y%m%d-%H%M%S)

test: setup
	@CHANGED='$(CHANGED)' BASE='$(BASE)' sh scripts/test.sh $(BIN)/python $(ONLY)

accept: setup
	@$(BIN)/labrig setup sandbox-earth >/dev/null || echo "no sandbox-earth: its tests skip"
	@$(BIN)/labrig setup crops >/dev/null || echo "no crops: tests of AquaCrop and DSSAT skip"
	@$(BIN)/labrig setup energyplus >/dev/null || echo "no energyplus: tests of EnergyPlus skip"
	@$(BIN)/labrig setup sumo >/dev/null || echo "no sumo: tests of SUMO skip"
	@$(BIN)/labrig setup grib >/dev/null || echo "no grib: tests of GRIB skip"
	@$(BIN)/labrig setup climate >/dev/null || echo "no climate: tests of climate indices skip"
	@$(BIN)/labrig setup pangu >/dev/null || echo "no pangu: tests of Pangu-Weather skip"
	@$(BIN)/labrig setup climada >/dev/null || echo "no climada: tests of CLIMADA skip"
	@$(BIN)/python tests/real/argleton/run.py --install >/dev/null 2>&1 || echo "no argleton: its tests skip"
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist loadfile --timeout $(HANGING) -m "accept and not soak" $(ONLY)

soak: setup
	PYTHONPATH=tests $(BIN)/python -m soak $(ONLY)

check: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python scripts/dead.py
	$(BIN)/labrig manifests --check
	$(BIN)/python docs/generate.py --check

bench: setup
	$(BIN)/python -m benchmarks

docs: $(VENV)/.installed
	$(BIN)/python docs/generate.py

site: $(VENV)/.installed
	@sh scripts/site.sh $(BIN)/python

manifests: $(VENV)/.installed
	$(BIN)/labrig manifests

attack:
	@$(MAKE) --no-print-directory soak ONLY=attacks

lock:
	sh scripts/lock.sh

setup: $(VENV)/.installed
	@$(BIN)/labrig setup >/dev/null || $(BIN)/labrig setup

$(VENV)/.installed: requirements.lock pyproject.toml scripts/install.sh
	sh scripts/install.sh $(VENV)
	@touch $@

clean:
	rm -rf $(VENV) out .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
