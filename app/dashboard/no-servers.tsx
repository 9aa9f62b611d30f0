import { Link } from "@/app/ui/link";
import { NEW_SERVER } from "@/lib/page-paths";

/** What an empty fleet is about, and the way to its first server. */
export function NoServers() {
  return (
    <div className="card card-body">
      <h2>No servers yet</h2>
      <p className="soft">
        Add a server, paste two lines into its terminal, and its health appears here within a minute: load, memory,
        disks, network, and a score that says what to look at first.
      </p>
      <p>
        <Link className="button" href={NEW_SERVER}>
          Add your first server
        </Link>
      </p>
    </div>
  );
}
