/** The files that are served beside the API, by their path. */
export const SERVED_FILES = {
  "/openapi.json": "describes all of this for machines (OpenAPI 3.1)",
  "/docs/api.md": "is this reference as Markdown",
  "/changelog.md": "says what changed, as the page [/changelog](/changelog) does",
  "/docs/health-score.json": "has the weights and curves of the health score",
  "/llms.txt": "tells language models which question needs which request",
  "/clients/console-api.ts": "is a client for TypeScript, one file without dependencies",
  "/clients/console_api.py": "is a client for Python 3.8 and newer, one file without dependencies",
  "/clients/console": "is a command line for a shell, one Python file without dependencies",
  "/recipes/grafana/dashboard.json": "is a Grafana dashboard of your fleet and traffic, to import (Infinity plugin)",
  "/recipes/grafana/datasource.yaml": "is the data source that the dashboard asks",
  "/recipes/README.md": "lists recipes for Prometheus, Grafana, Home Assistant, cron and the shell",
} as const;
