# docs/self-hosting.md describes the image. A build without a registry names bases of its own:
#   docker build --build-arg BUILD_IMAGE=… --build-arg BASE_IMAGE=… .
# BUILD_IMAGE has npm and git, and BASE_IMAGE has Node 24 and sh, on glibc or musl, x64 or arm64, the same in both.
ARG BUILD_IMAGE=node:24-trixie
ARG BASE_IMAGE=node:24-trixie-slim

FROM ${BUILD_IMAGE} AS build
WORKDIR /src
COPY . .
RUN npm ci && npm run package -- --tree /tree

FROM ${BASE_IMAGE}
COPY --from=build /tree /opt/tributary
RUN ln -s /opt/tributary/bin/tributary /usr/local/bin/tributary && install -d -o 10001 -g 10001 -m 700 /data
ENV TRIBUTARY_DATA=/data HOST=0.0.0.0 PORT=8787 NODE_COMPILE_CACHE=/data/compiled
USER 10001:10001
VOLUME /data
EXPOSE 8787
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["node", "/opt/tributary/scripts/service/healthy.ts"]
ENTRYPOINT ["tributary"]
CMD ["serve"]
