import { CodeBlock } from "@/app/ui/code-block";

/** Shown to an account without a token. */
export function NoTokens({ origin }: { origin: string }) {
  return (
    <div className={"card card-body"}>
      <p>
        A token is a password for one program: a dashboard, a script or an alert that reads your servers through the
        API. Give each program its own, so that you can revoke one without touching the others.
      </p>
      <CodeBlock label="Example" text={`curl -sS ${origin}/api/v1/me -H "Authorization: Bearer $TOKEN"`} />
    </div>
  );
}
