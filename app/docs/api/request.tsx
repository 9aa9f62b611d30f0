import { CodeBlock } from "@/app/ui/code-block";
import { RunExample } from "./run-example";

type Props = { url: URL; label: string; name: string; text: string };

/** The lines of a request, which can be sent from the page. */
export function Request({ url, label, name, text }: Props) {
  return (
    <>
      <CodeBlock label={label} text={text} />
      <RunExample path={url.pathname} name={name} />
    </>
  );
}

/** Where these lines send a GET with a token and nothing else; null for other lines. */
export function requestOf(text: string): URL | null {
  const [, url] = /^curl -sS "([^"]+)" -H "Authorization: Bearer \$TOKEN"$/.exec(text) ?? [];
  return url ? new URL(url) : null;
}
