"""Generated repositories: pinned bytes, cells that stand alone, truth that is what the files say."""

from __future__ import annotations

import ast
import hashlib
import io
import statistics
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import labrig_repository.gym as gym
from labrig.errors import LabrigError
from labrig_repository.folder.listing import list_directory
from labrig_repository.folder.store import Repository
from labrig_repository.gym import design
from labrig_repository.gym.columns import BLOCK, Cells
from labrig_repository.gym.digest import digest
from labrig_repository.gym.encoding import EXTENSIONS
from labrig_repository.gym.expressions import Binary, Expression, Noise, Step, Table, Variable
from labrig_repository.gym.expressions import Number as Constant
from labrig_repository.gym.repository import GeneratedRepository, open_repository
from labrig_repository.gym.specification import (
    Clock,
    Computed,
    Context,
    Cut,
    FileVariable,
    Label,
    Level,
    Number,
    Placeholder,
    Readme,
    Specification,
    Weighted,
)
from labrig_repository.gym.taxonomy.field import Draw
from labrig_repository.gym.values import Decimal, Labels, Levels, Moments
from support.late import late

pd = late("pandas")
stats = late("scipy.stats")

BYTES = {
    "csv": "14126f09c1b6108cd11cb338469cc6d4d7ec80f11e0987c51ee116da90b4e358",
    "json": "dbbbc7d4bd06a010b71625861364a3e422db4bb3e5be6e4bf52dfdabc77b0210",
    "jsonl": "35257f865ad92ee5f47b882659e5e047d174df576f473ebc1e851bc47e7bfc27",
    "xlsx": "c48895aff08f60e8015e7390de614c2f42db25b0584475ae45db43a58ff28655",
    "txt": "b935eaef1e4fd59a03bce65710cc6c325d093c78229df7aecdba1423249c50a6",
    "log": "5b8cf2eba55ae3e87e1607515b35e175869336db7ff3816b919d19cb274bef73",
}
"""SHA-256 of all files of `handmade`; all nine distributions are in them."""
DIGESTS: dict[int, str] = {
    1: "4f862bb17a3760d75db63e80e646f1f0e83e30100a346876caea14c6cd84f753",
    2: "c0928bd9cd0c624d50947f365b96de440c3cc03d6680c4462aff0e3d7817f69b",
    3: "5344b4cbdb04ac6a4276ae24610dea38a2d7751b0e16941a154d04b3af32e764",
    5: "bfa7d848e61f7014aee61e675ce3bf3b5efd8b3fa2a9cbe9e0c377ed0fd056e3",
    10: "7a88528c6cbef8b021bf53c777d132982864d72938bec9fc9fdf0781981ff9a6",
    14: "b220c4396d462e5eff476cef7d10c9e229cb9c5ab474a723906c6bc09028e951",
    118: "fb88fe31ecb9780d158e340639122af8241520de87d834d7f607df080b389293",
}
"""`digest` of repositories of version 1, with the taxonomy that belongs to it."""


def _drawn(name: str, decimals: int, low: float, high: float, *parameters: float) -> FileVariable:
    scale = 10**decimals
    source = Number(Draw(name, parameters), low, high, round(low * scale), round(high * scale))  # type: ignore[arg-type]
    return FileVariable(name.lower(), name, "independent", "", Decimal(decimals), source)


def _sum(*terms: Expression) -> Expression:
    total = terms[0]
    for each in terms[1:]:
        total = Binary("+", total, each)
    return total


def handmade(extension: str) -> Specification:
    """Return a small repository that no taxonomy decides."""
    strain = Placeholder("strain", "strain", "categorical", ("wt", "promoter_swap"), ("wt", "promoter_swap"))
    date = Placeholder("date", "day", "date", ("2025-05-28", "2025-06-01"), ("05_28_2025", "06_01_2025"))
    ph = Placeholder("pH", "pH", "number", ("pH_4.0", "pH_5.5"), ("pH_4.0", "pH_5.5"), ("4", "5.5"))
    run = Placeholder("run", "run", "sequence", ("1", "2", "3"), ("01", "02", "03"), ("1", "2", "3"))
    growth = _sum(
        Constant("0.4"),
        Binary("*", Constant("0.08"), Variable("normal")),
        Binary("/", Variable("pH"), Binary("+", Constant("3"), Variable("poisson"))),
        Table("strain", ("wt", "promoter_swap"), ("0.1", "-0.2")),
        Table("medium", ("YPD", "SC", "min"), ("0", "0.15", "-0.3")),
        Binary("*", Constant("0.3"), Step(Variable("beta"), "0.25")),
        Binary("*", Constant("0.2"), Noise()),
    )
    bounded = Binary("min", Binary("max", growth, Constant("0")), Constant("4"))
    variables = (
        FileVariable(
            "plate_well", "", "identifier", "", Labels((("P1", "P2"), ("_",), ("A", "B", "C"), 3)), Label()
        ),
        FileVariable("sampled", "", "datetime", "", Moments("%Y-%m-%d %H:%M"), Clock(900, "date", 0, 1)),
        FileVariable("day", "", "datetime", "", Moments("%d.%m.%Y"), Clock(86_400, "", 16_000, 400)),
        FileVariable("medium", "", "independent", "", Levels(("YPD", "SC", "min")), Weighted((5, 3, 2))),
        _drawn("Bernoulli", 0, 0, 1, 0.3),
        _drawn("Binomial", 0, 0, 40, 40, 0.35),
        _drawn("Geometric", 0, 1, 30, 0.2),
        _drawn("NegativeBinomial", 0, 0, 80, 2.5, 0.2),
        _drawn("Poisson", 0, 0, 30, 6.5),
        _drawn("Beta", 3, 0, 0.8, 2, 5.5),
        _drawn("Exponential", 2, 0.5, 60, 7),
        _drawn("Normal", 2, -4, 6, 0.5, 1.75),
        _drawn("Uniform", 1, -10, 35),
        FileVariable("growth", "", "dependent", "1/h", Decimal(4), Computed(bounded)),
        FileVariable("fast", "", "dependent", "", Levels(("slow", "fast")), Cut("growth", (9_000,))),
    )
    levels = (Level((strain, date), ("_",)), Level((run, ph), ("-",)))
    context = Context("Life Science - Biology", "Systems Biology", "Omics")
    return Specification(
        "isg/1:0",
        context,
        "A title",
        "An abstract.",
        Readme(True, True, False),
        levels,
        extension,
        17,
        variables,
    )


@pytest.mark.parametrize("extension", EXTENSIONS)
def test_bytes_are_those_of_version_1(extension: str) -> None:
    repository = GeneratedRepository(handmade(extension))
    total = hashlib.sha256()
    for path in repository.paths():
        total.update(path.encode() + b"\0" + repository.read(path))
    assert total.hexdigest() == BYTES[extension]


@pytest.mark.parametrize("number", DIGESTS)
def test_repositories_are_those_of_version_1(number: int) -> None:
    assert digest(open_repository(str(number)), files=5) == DIGESTS[number]


def test_two_repositories_share_no_stream() -> None:
    """The released code hashes the path alone: the same path in two repositories has the same numbers there."""
    one = GeneratedRepository(handmade("csv"))
    two = GeneratedRepository(replace(handmade("csv"), id="isg/1:1", files=24))
    path = one.files.texts[3]
    assert path in two.files.texts
    assert one.read(path).splitlines()[1:4] != two.read(path).splitlines()[1:4]


def test_a_file_follows_from_its_path_by_other_means() -> None:
    """Words, numbers and an outcome of a file computed anew, without the generator and without numpy."""
    repository = GeneratedRepository(handmade("csv"))
    names = [each.name for each in repository.specification.variables]
    for path in repository.files.texts[:2]:
        key = int.from_bytes(hashlib.sha256(f"isg/1:0\0{path}".encode()).digest()[:8], "little")
        strain, ph = ("wt" if path.startswith("wt") else "promoter_swap"), float(path[-7:-4])
        lines = repository.read(path).decode().splitlines()
        assert lines[0].split(",") == names
        for row, line in enumerate(lines[1:]):
            cells = dict(zip(names, line.split(","), strict=True))
            drawn = {name: _word(key, names.index(name) + 1, row) for name in names}
            share = {name: (each >> 11) / 2**53 for name, each in drawn.items()}
            assert cells["bernoulli"] == str(int(share["bernoulli"] >= 0.7))
            assert cells["medium"] == (
                "YPD" if share["medium"] < 0.5 else "SC" if share["medium"] < 0.8 else "min"
            )
            assert int(cells["poisson"]) == stats.poisson(6.5).ppf(share["poisson"])
            assert abs(float(cells["uniform"]) - (-10 + 45 * share["uniform"])) < 0.0501
            z = {name: _normal(drawn[name]) for name in ("normal", "growth")}
            assert abs(float(cells["normal"]) - min(max(0.5 + 1.75 * z["normal"], -4), 6)) < 0.00511
            true = 0.4 + 0.08 * float(cells["normal"]) + ph / (3 + int(cells["poisson"]))
            true += {"wt": 0.1, "promoter_swap": -0.2}[strain]
            true += {"YPD": 0, "SC": 0.15, "min": -0.3}[cells["medium"]]
            true += 0.3 * (float(cells["beta"]) >= 0.25) + 0.2 * z["growth"]
            assert abs(float(cells["growth"]) - min(max(true, 0), 4)) < 0.00007
            assert cells["fast"] == ("fast" if float(cells["growth"]) >= 0.9 else "slow")


def _word(file: int, column: int, row: int) -> int:
    """SplitMix64's finaliser on counters, in Python's integers."""
    step, last = 0x9E3779B97F4A7C15, 2**64 - 1

    def mixed(number: int) -> int:
        number = ((number ^ number >> 30) * 0xBF58476D1CE4E5B9) & last
        number = ((number ^ number >> 27) * 0x94D049BB133111EB) & last
        return number ^ number >> 31

    return mixed((mixed((file + step * (column + 1)) & last) + step * (row + 1)) & last)


def _normal(word: int) -> float:
    """The quantile that a word stands for: its highest bit says from which end."""
    tail = ((word >> 11) % 2**52 + 0.5) / 2**53
    found = statistics.NormalDist().inv_cdf(tail)
    return -found if word >> 63 else found


def test_no_two_files_are_alike() -> None:
    repository = GeneratedRepository(handmade("csv"))
    first = {tuple(repository.columns.column("uniform", repository.cells([n])).data[:5]) for n in range(17)}
    assert len(first) == 17


def test_any_cell_stands_alone() -> None:
    """One cell, one file, many files and another block give the same."""
    for repository in (GeneratedRepository(handmade("csv")), open_repository("7"), open_repository("12")):
        names = [each.name for each in repository.specification.variables]
        everything = repository.cells(range(repository.specification.files))
        whole = repository.columns.columns(names, everything)
        rng = np.random.default_rng(1)
        for at in rng.integers(0, len(everything), 40).tolist():
            cell = everything.keep(slice(at, at + 1))
            file = repository.cells(cell.file)
            for name in rng.permutation(names)[:5].tolist():
                alone = repository.columns.column(name, cell).data[0]
                assert alone == whole[name].data[at]
                assert alone == repository.columns.column(name, file).data[cell.row[0]]


def test_blocks_join_without_a_seam() -> None:
    repository = GeneratedRepository(handmade("csv"))
    cells = repository.cells(list(range(17)) * 40)
    assert len(cells) > 2 * BLOCK
    found = repository.columns.column("growth", cells)
    each = repository.columns.column("growth", repository.cells(range(17))).data
    assert np.array_equal(found.data, np.concatenate([each] * 40))
    assert len(repository.columns.column("growth", cells.keep(slice(0, 0)))) == 0


def test_a_file_is_the_same_in_whatever_order_files_are_read() -> None:
    specification = replace(design.specification(7), files=70, extension="csv")  # two blocks and a part
    paths = GeneratedRepository(specification).files.texts
    alone = {path: GeneratedRepository(specification).read(path) for path in paths}
    shuffled = [paths[n * 31 % len(paths)] for n in range(len(paths))]
    for order in (paths, paths[::-1], shuffled):
        repository = GeneratedRepository(specification)
        assert {path: repository.read(path) for path in order} == alone


def test_rows_are_uniform_from_20_to_300() -> None:
    repository = GeneratedRepository(replace(design.specification(_large()), files=10_000))
    counts = repository.columns.rows()
    assert counts.min() == 20 and counts.max() == 300
    assert stats.chisquare(np.bincount(counts)[20:]).pvalue > 1e-4
    assert len(repository.cells(range(10_000))) == counts.sum()


def _large() -> int:
    return next(n for n in range(1, 300) if design.specification(n).possible >= 12_000)


def frame(repository: GeneratedRepository, path: str) -> pd.DataFrame:
    """Read a file as a user would."""
    content, extension = io.BytesIO(repository.read(path)), repository.specification.extension
    if extension in ("json", "jsonl"):
        return pd.read_json(content, lines=extension == "jsonl", dtype=False, precise_float=True)
    return pd.read_csv(content)


@pytest.mark.accept
def test_the_truth_is_what_the_files_say() -> None:
    """Filtered values, their number and their median from columns are those of the files' bytes."""
    checked = 0
    for number in range(1, 41):
        repository = open_repository(str(number))
        specification = repository.specification
        if specification.extension == "xlsx" or checked == 15:  # workbooks are read in test_gym_formats
            continue
        placeholder = specification.placeholders[0]
        files = repository.files.matching({placeholder.name: placeholder.values[:2]})[:5]
        numeric = [
            each.name
            for each in specification.variables
            if isinstance(each.form, Decimal) and each.form.decimals
        ]
        category = next((each for each in specification.variables if isinstance(each.source, Weighted)), None)
        if len(files) == 0 or len(numeric) < 2 or category is None:
            continue
        assert isinstance(category.form, Levels)
        level, filter_on, target = category.form.texts[0], numeric[0], numeric[-1]
        bound = repository.columns.column(filter_on, repository.cells(files[:1])).data[0]

        cells = repository.cells(files)
        cells = cells.keep(repository.columns.column(category.name, cells).data == 0)
        cells = cells.keep(repository.columns.column(filter_on, cells).data > bound)
        column = repository.columns.column(target, cells)
        assert isinstance(column.form, Decimal)

        read = pd.concat([frame(repository, repository.files.texts[each]) for each in files])
        form = repository.columns.variables[filter_on].form
        assert isinstance(form, Decimal)
        read = read[(read[category.name] == level) & (read[filter_on] > form.values(bound))]
        assert len(read) == len(column)
        if len(read):
            assert np.array_equal(read[target].to_numpy(), column.form.values(column.data))
            exact = statistics.median([Fraction(each) for each in column.data.tolist()])
            assert float(exact / 10**column.form.decimals) == pytest.approx(read[target].median(), rel=1e-15)
            checked += 1
    assert checked == 15


def test_outcomes_move_and_seldom_stand_at_their_bounds() -> None:
    for number in range(1, 41):
        repository = open_repository(str(number))
        cells = repository.cells(range(15))
        for each in repository.specification.variables:
            if isinstance(each.source, Computed) and isinstance(each.form, Decimal):
                data = repository.columns.column(each.name, cells).data
                edges = np.mean((data == data.min()) | (data == data.max()))
                assert len(np.unique(data)) > (20 if each.form.decimals else 3), (number, each.name)
                assert edges < 0.3 or not each.form.decimals, (number, each.name, str(each.source.expression))


def test_times_start_on_the_day_of_the_path() -> None:
    repository = GeneratedRepository(handmade("csv"))
    for place, path in enumerate(repository.files.texts):
        texts = repository.columns.column("sampled", repository.cells([place])).texts()
        stamps = pd.to_datetime(pd.Series(texts))
        assert texts[0].startswith("2025-05-28" if "05_28" in path else "2025-06-01")
        assert set(stamps.diff().dropna().dt.total_seconds()) == {900.0}
        assert 6 <= stamps[0].hour < 18
        days = pd.to_datetime(
            pd.Series(repository.columns.column("day", repository.cells([place])).texts()), dayfirst=True
        )
        assert set(days.diff().dropna().dt.days) == {1}


@pytest.mark.accept
def test_times_stay_in_the_year_of_the_path() -> None:
    """A year in the path is that of every row, also with a row a day in the longest file."""
    checked = 0
    for number in range(1, 600):
        specification = design.specification(number)
        clocks = [each for each in specification.variables if isinstance(each.source, Clock)]
        if not any(each.name == "year" for each in specification.placeholders) or not clocks:
            continue
        repository = GeneratedRepository(specification)
        files = np.argsort(repository.columns.rows())[-8:]
        years = {each.name: n for n, each in enumerate(specification.placeholders)}
        said = specification.placeholders[years["year"]].numbers
        cells = repository.cells(files)
        for text, file in zip(
            repository.columns.column(clocks[0].name, cells).texts(), cells.file, strict=True
        ):
            assert text[:4] == said[repository.files.places[file, years["year"]]], (number, text)
        checked += 1
        if checked == 5:
            return
    raise AssertionError("no repository has a year in its paths and a column of times")


def test_labels_number_the_rows() -> None:
    repository = GeneratedRepository(handmade("csv"))
    texts = repository.columns.column("plate_well", repository.cells([0])).texts()
    assert [each[-3:] for each in texts] == [f"{n:03d}" for n in range(1, len(texts) + 1)]
    assert {each[:-3] for each in texts} == {f"P{p}_{c}" for p in "12" for c in "ABC"}


def test_it_is_a_repository_of_the_store() -> None:
    repository: Repository = open_repository("118")
    files = open_repository("118").paths()
    assert repository.name == "isg/1:118" and "version 1" in repository.about
    first = next(each for each in files if each != "README.md")
    content = repository.read(first)
    assert repository.size(first) == len(content)
    assert repository.read(first, 5, 7) == content[5:12]
    assert repository.read(first, len(content) + 3) == b""
    assert repository.kind("") == repository.kind(first.rpartition("/")[0]) == "folder"
    assert repository.kind(first) == "file" and repository.kind("no/such") is None
    walked: list[str] = []
    left = [""]
    while left:
        folder = left.pop()
        for entry in repository.entries(folder):
            path = f"{folder}/{entry.name}".lstrip("/")
            (left if entry.kind == "folder" else walked).append(path)
    assert sorted(walked) == list(files)


def test_the_tools_list_and_match_what_there_is() -> None:
    """The server's own listing over generated paths, with the values of placeholders in the prefix."""
    repository = GeneratedRepository(handmade("csv"))
    assert [each.path for each in list_directory(repository, "/*", None)] == sorted(
        repository.paths(), key=lambda each: each.split("/")
    )
    wanted = repository.files.matching({"strain": ["wt"], "pH": ["pH_5.5"]})
    found = sorted(each.path for each in list_directory(repository, "wt_*/*-pH_5.5.csv", None))
    assert found == [repository.files.texts[each] for each in wanted] and len(found) > 1


def test_a_readme_is_a_file_or_there_is_none() -> None:
    with_one = next(open_repository(str(n)) for n in range(1, 50) if design.specification(n).readme)
    without = next(open_repository(str(n)) for n in range(1, 50) if not design.specification(n).readme)
    assert "README.md" in with_one.paths() and with_one.read("README.md").startswith(b"# ")
    assert with_one.media_type("README.md") == "text/markdown"
    assert "README.md" not in without.paths() and without.kind("README.md") is None
    with pytest.raises(LabrigError, match="no file"):
        without.read("README.md")


@pytest.mark.parametrize(
    "name",
    [
        *(
            "",
            "0",
            "-1",
            "+1",
            "01",
            "1.0",
            " 1",
            "1 ",
            "1e3",
            "1_0",
            "1000000000",
            "٣",
            "１",
            "isg",
            "isg/1",
            "isg/1:",
        ),
        *(
            "isg/1:0",
            "isg/01:1",
            "isg/2:5",
            "ISG/1:5",
            "isg/1:1:1",
            "True",
            "None",
            "../1",
            "1\n",
            "1\0",
            "x" * 5000,
        ),
    ],
)
def test_what_is_no_id_is_refused(name: str) -> None:
    with pytest.raises(LabrigError) as refused:
        open_repository(name)
    assert refused.value.expected


def test_an_id_may_name_its_version() -> None:
    assert open_repository("isg/1:5") is open_repository("5")


@pytest.mark.parametrize(
    "path", ["", "/", "..", "README.txt", "no/such.csv", "\0", "x" * 4096, "a/../b", "%2e%2e", "é", "é"]
)
def test_what_is_no_path_is_not_found(path: str) -> None:
    repository = GeneratedRepository(handmade("csv"))
    for wrong in (path, f"/{repository.files.texts[0]}", f"{repository.files.texts[0]}/"):
        with pytest.raises(LabrigError) as refused:
            repository.read(wrong)
        assert refused.value.code == "not_found"


def test_what_is_no_column_is_named() -> None:
    repository = GeneratedRepository(handmade("csv"))
    with pytest.raises(LabrigError, match="growht"):
        repository.columns.column("growht", Cells(np.array([0]), np.array([0])))


FORBIDDEN = {
    *(
        "exp",
        "exp2",
        "expm1",
        "log",
        "log2",
        "log10",
        "log1p",
        "sin",
        "cos",
        "tan",
        "tanh",
        "arctan",
        "power",
    ),
    *(
        "float_power",
        "sum",
        "mean",
        "std",
        "var",
        "average",
        "median",
        "dot",
        "matmul",
        "einsum",
        "cov",
        "corrcoef",
    ),
    *("prod", "pow", "hypot", "cbrt", "random", "default_rng", "Generator"),
}
"""Functions whose last bit differs between versions of numpy, processors or C libraries (measured)."""


def test_no_function_of_the_generator_depends_on_the_machine() -> None:
    folder = Path(gym.__file__).parent
    files = sorted(folder.glob("*.py"))
    assert len(files) > 12
    for file in files:
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Attribute) and node.attr in FORBIDDEN:
                owner = node.value.id if isinstance(node.value, ast.Name) else ""
                assert (owner, node.attr) == ("math", "prod"), f"{file.name}:{node.lineno}"  # of integers
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
                base = ast.unparse(node.left)
                assert base in ("2.0", "10", "Fraction(10)"), (
                    f"{file.name}:{node.lineno}: {ast.unparse(node)}"
                )
            if isinstance(node, ast.ImportFrom | ast.Import):
                names = {each.name.partition(".")[0] for each in node.names} | {getattr(node, "module", "")}
                assert not names & {"random", "secrets", "time", "uuid", "scipy", "pandas"}, file.name
