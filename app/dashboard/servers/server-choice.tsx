import { Name } from "@/app/ui/name";
import { counted } from "@/lib/format/quantities";
import type { ChosenServers } from "./form-answers";
import styles from "./server-choice.module.css";

export type ServersOfList = {
  /** The query of the list, as a URL says it. */
  list: string;
  /** Those of this page of the list. */
  servers: readonly { id: number; label: string; tags: readonly string[] }[];
  /** How many the whole list has. */
  found: number;
};

/** No server is chosen yet. */
export const NONE_CHOSEN: ChosenServers = { isAll: false, selected: [] };

/** The part of a form that says of which servers: the marked ones, or all of the list. */
export function ServerChoice({ list, servers, found, chosen }: ServersOfList & { chosen: ChosenServers }) {
  const { isAll, selected } = chosen;
  return (
    <fieldset className={`columns breaks ${styles.servers}`} key={`${isAll} ${selected.join()}`}>
      <legend>Servers</legend>
      <input type="hidden" name="list" value={list} />
      {found > servers.length && (
        <label className="control whole">
          <input type="checkbox" className="check" name="all" value="1" defaultChecked={isAll} />
          All {counted(found, "server")} of this list
        </label>
      )}
      {servers.map(({ id, label, tags }) => (
        <label key={id} className="control">
          <input type="checkbox" className="check" name="s" value={id} defaultChecked={selected.includes(id)} />
          <span>
            <Name>{label}</Name>{" "}
            <span className="soft">
              {tags.map((tag) => (
                <Name key={tag}>#{tag} </Name>
              ))}
            </span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
