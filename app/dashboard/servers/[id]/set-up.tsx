import { CodeBlock } from "@/app/ui/code-block";
import { Link } from "@/app/ui/link";
import { Section } from "@/app/ui/section";
import { serverSettingsPath } from "@/lib/page-paths";
import { installLines } from "../install-lines";
import { OtherAgents } from "../other-agents";

/** What a server that never checked in needs, in the place of what it will show. */
export function SetUp({ serverId, origin }: { serverId: number; origin: string }) {
  return (
    <Section id="set-up" title="Set it up">
      <div className="card card-body">
        <p>
          Paste these two lines into a terminal of the server. The second asks for its key, which was shown when the
          server was added; if it is lost,{" "}
          <Link href={serverSettingsPath(serverId)}>make a new one in the settings</Link>. The first values are here
          half a minute later.
        </p>
        <CodeBlock label="In a terminal of the server" text={installLines(origin)} />
        <OtherAgents origin={origin} />
      </div>
    </Section>
  );
}
