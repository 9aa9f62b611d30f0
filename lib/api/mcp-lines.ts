/** What to paste into programs that speak the Model Context Protocol, for the console at `origin`. */
export function mcpLines(origin: string): { label: string; lines: string }[] {
  return [
    {
      label: "Claude Code",
      lines: `claude mcp add --transport http console ${origin}/mcp --header "Authorization: Bearer $TOKEN"`,
    },
    {
      label: "Cursor: ~/.cursor/mcp.json",
      lines: json({
        mcpServers: { console: { url: `${origin}/mcp`, headers: bearer(variable("env:CONSOLE_TOKEN")) } },
      }),
    },
    {
      label: "VS Code: .vscode/mcp.json",
      lines: json({
        inputs: [{ type: "promptString", id: "console-token", description: "Console token", password: true }],
        servers: { console: { type: "http", url: `${origin}/mcp`, headers: bearer(variable("input:console-token")) } },
      }),
    },
  ];
}

function bearer(token: string) {
  return { Authorization: `Bearer ${token}` };
}

/** As these programs write what stands elsewhere. */
function variable(name: string): string {
  return `\${${name}}`;
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
