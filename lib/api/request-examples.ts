/** One request in one language; the token is in the environment variable TOKEN. */
type RequestExample = { language: "curl" | "Python" | "TypeScript" | "PowerShell"; text: string };

/** The same GET of `url` in four languages, each with the standard library of its language alone. */
export function requestExamples(url: string): RequestExample[] {
  return [
    { language: "curl", text: `curl -sS "${url}" -H "Authorization: Bearer $TOKEN"` },
    {
      language: "Python",
      text: `import json, os, urllib.request

request = urllib.request.Request(
    "${url}",
    headers={"Authorization": f"Bearer {os.environ['TOKEN']}"},
)
with urllib.request.urlopen(request, timeout=30) as response:
    data = json.load(response)["data"]
print(json.dumps(data, indent=2))`,
    },
    {
      language: "TypeScript",
      text: `const response = await fetch("${url}", {
  headers: { Authorization: \`Bearer \${process.env.TOKEN}\` },
  signal: AbortSignal.timeout(30_000),
});
const body = await response.json();
if (!response.ok) throw new Error(body.error);
console.log(JSON.stringify(body.data, null, 2));`,
    },
    {
      language: "PowerShell",
      text: `$headers = @{ Authorization = "Bearer $env:TOKEN" }
$body = Invoke-RestMethod -Uri "${url}" -Headers $headers -TimeoutSec 30
$body.data | ConvertTo-Json -Depth 10`,
    },
  ];
}
