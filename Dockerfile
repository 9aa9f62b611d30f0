# The console for production: docker build --build-arg COMMIT=$(git rev-parse HEAD) -t console-api .
# compose.yaml beside this file starts two of them with PostgreSQL, Redis and Caddy.

FROM node:24.21.0-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund
COPY . .
# The commit that the build tells of; .git is not here.
ARG COMMIT
RUN npm run build
# What runs, without what only builds and the demo need: compilers, types, images, other databases, source maps.
RUN rm -rf .next/cache .next/types node_modules/typescript node_modules/@typescript node_modules/@types node_modules/@next/swc-* \
    node_modules/@img node_modules/@electric-sql node_modules/@rolldown node_modules/next/dist/esm node_modules/next/dist/docs \
  && find .next node_modules -name '*.map' -delete \
  && find node_modules/@prisma/client/runtime -regex '.*\.\(cockroachdb\|mysql\|sqlite\|sqlserver\)\..*' -delete \
  && mkdir /console \
  && mv .next node_modules lib prisma public scripts server CHANGELOG.md next.config.mjs package.json package-lock.json tsconfig.json /console

FROM node:24.21.0-bookworm-slim
COPY --from=build --chown=root:root /console /console
WORKDIR /console
# Nobody owns a file here: run it with --read-only.
USER nobody
ENV HOST=0.0.0.0 PORT=3000
EXPOSE 3000
# Whether the process answers. Whether it should get requests, which also asks the database, /readyz says.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# SIGTERM, then DRAIN_DELAY (5 s) and up to 10 s for running requests: stop it with --stop-timeout 20.
STOPSIGNAL SIGTERM
CMD ["node", "server/start.mjs"]
