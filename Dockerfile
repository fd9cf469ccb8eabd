# The image of a release, made from its archives in ./dist (docs/release.md):
#   docker buildx build --platform linux/amd64,linux/arm64 --build-arg VERSION=0.2.0 -t loam .
# cc has the C library and the C++ library that DuckDB's connector needs; everything else is static.
FROM scratch AS release
ARG VERSION
ARG TARGETARCH
ADD dist/loam_${VERSION}_linux_${TARGETARCH}.tar.gz /
WORKDIR /state

FROM gcr.io/distroless/cc-debian13:nonroot
ARG VERSION
ARG TARGETARCH
LABEL org.opencontainers.image.title="Loam" \
      org.opencontainers.image.description="Context for data agents: read-only SQL over your warehouses" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.source="https://github.com/loam-data/loam" \
      org.opencontainers.image.version="${VERSION}" \
      io.modelcontextprotocol.server.name="io.github.loam-data/loam"
COPY --from=release /loam_${VERSION}_linux_${TARGETARCH}/ /opt/loam/
COPY --from=release --chown=65532:65532 /state /state
ENV LOAM_PROJECT_DIR=/project \
    LOAM_STATE_DIR=/state
WORKDIR /project
USER 65532:65532
EXPOSE 7878
ENTRYPOINT ["/opt/loam/bin/loam"]
CMD ["mcp", "stdio"]
