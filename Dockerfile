# The service as an image, with its kernels compiled in.
#
#   base      Python, and the processor that kernels are compiled for
#   build     the locked dependencies, the wheel, the kernels
#   test      the tests, against what is installed: `docker build --target test .`
#   runtime   what `build` made, and nothing to make it with; it does not wait for `test`
#
# Settings of pip, where it needs any: --secret id=pip,src=pip.conf

ARG BASE=python:3.11-slim-bookworm

FROM ${BASE} AS base
# Kernels compiled for the machine at hand may crash on another; "generic" ones run on every
# x86-64 and ARM processor. No features, because numba adds those of this machine by itself.
ARG CPU=generic
ENV NUMBA_CPU_NAME=${CPU} NUMBA_CPU_FEATURES=""
ENV PATH=/opt/triad/bin:$PATH PYTHONDONTWRITEBYTECODE=1


FROM base AS build
ENV NUMBA_CACHE_DIR=/opt/kernels PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
RUN python3 -m venv /opt/triad
# requirements-cluster.lock has Dask too.
ARG LOCK=requirements.lock
COPY ${LOCK} .
RUN --mount=type=secret,id=pip,target=/etc/pip.conf \
    pip install --require-hashes -r ${LOCK}
WORKDIR /source
COPY . .
RUN --mount=type=secret,id=pip,target=/etc/pip.conf \
    pip install --no-deps .
# The service getting ready, a small job, a check of what it wrote, a line and a game run every kernel.
WORKDIR /tmp
RUN python3 /source/tests/image/warm.py \
    && precompute --state @/source/docs/state.json --db job --plies all \
    && precompute verify --db job \
    && tr -d '\n' < /source/docs/state.json | precompute eval --lines \
    && triad simulate --games 1 \
    && rm -r job


FROM build AS test
RUN --mount=type=secret,id=pip,target=/etc/pip.conf \
    pip install --require-hashes -r /source/requirements-dev.lock
# Rules, search, database and routes; without the sources, so that what was installed is tested
# (and without what edits them).
WORKDIR /checks
RUN cd /source && cp -r data docs tests README.md pyproject.toml /checks
RUN python3 -m pytest --ignore=tests/engine/test_kernel.py \
        tests/engine tests/store tests/e2e/test_routes.py


FROM base AS runtime
LABEL org.opencontainers.image.title="Triadbase" \
      org.opencontainers.image.description="Perfect play of Triple Triad as a service" \
      org.opencontainers.image.version="0.8.0" \
      org.opencontainers.image.licenses="MIT"
# A named volume gets its owner from here.
RUN useradd --system --uid 10001 --no-create-home triad \
    && install --directory --owner=triad --group=triad /data/db
COPY --from=build /opt/triad /opt/triad
COPY --from=build /opt/kernels /opt/kernels
# A number, so that whoever runs it can see that it is not root.
USER 10001
WORKDIR /
ENV NUMBA_CACHE_DIR=/tmp/kernels TRIAD_HOST=0.0.0.0 TRIAD_PORT=8000 TRIAD_DB=/data/db
EXPOSE 8000
HEALTHCHECK --start-period=60s CMD ["python3", "-c", "import os, urllib.request; urllib.request.urlopen('http://127.0.0.1:' + os.environ['TRIAD_PORT'] + '/readyz', timeout=5)"]
# numba insists on a cache that it can write to, and the root may be read-only: it gets one in
# /tmp, of links to the kernels of the image.
ENTRYPOINT ["sh", "-c", "cp -rsf /opt/kernels /tmp; exec \"$@\"", "sh"]
CMD ["triad", "serve"]
