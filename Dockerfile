# One image for every server; which one runs is the argument: docker run -i --rm labrig phreeqc
# How to run it, and what of this has not been tried: docs/docker.md

FROM python:3.12-slim AS build
# Bytecode is made here: the user of the final image cannot write it, and without it a start takes thrice as long.
ENV UV_COMPILE_BYTECODE=1 \
    UV_LINK_MODE=copy \
    UV_NO_CACHE=1 \
    UV_PYTHON_DOWNLOADS=never
RUN pip install --no-cache-dir --root-user-action=ignore "uv>=0.9,<1"
WORKDIR /src
RUN uv venv --python "$(command -v python3)" /opt/labrig
COPY pyproject.toml requirements.lock README.md LICENSE ./
# The lock names tools for development too. Used as constraints it gives versions and hashes to what is needed.
RUN uv pip install --python /opt/labrig/bin/python --require-hashes -r pyproject.toml --extra all -c requirements.lock
COPY shared ./shared
COPY servers ./servers
COPY clients ./clients
RUN uv pip install --python /opt/labrig/bin/python --no-deps --build-constraints requirements.lock .
RUN LABRIG_HOME=/var/lib/labrig /opt/labrig/bin/labrig setup phreeqc

FROM python:3.12-slim
# The official image comes without the bytecode of the standard library.
RUN python -m compileall -q -x 'site-packages|/tests?/|/idle_test/' "$(python -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')"
RUN useradd --system --uid 10001 --home-dir /var/lib/labrig --shell /usr/sbin/nologin labrig
COPY --from=build /opt/labrig /opt/labrig
COPY --from=build /var/lib/labrig /var/lib/labrig
RUN mkdir -p /var/lib/labrig/workspaces /var/lib/labrig/logs
RUN chown labrig: /var/lib/labrig/workspaces /var/lib/labrig/logs
ENV PATH=/opt/labrig/bin:$PATH \
    LABRIG_HOME=/var/lib/labrig
USER labrig
WORKDIR /var/lib/labrig
VOLUME /var/lib/labrig/workspaces
# No HEALTHCHECK: on stdio the client is the only one who can ask, and the container ends with it.
# No EXPOSE: a bind that others can reach is asked for with --http, --token-file and --allow-host, or refused.
ENTRYPOINT ["labrig", "serve"]
CMD ["phreeqc"]
