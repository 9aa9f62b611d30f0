import examples from "./examples.json";

/** The ids of the server and the game service whose answers the reference shows. */
export const EXAMPLE_IDS = {
  server: examples["/api/v1/servers/:id"].data.id,
  service: examples["/api/v1/game-services/:id"].data.id,
};

/** A path of the document with the id of its kind in place of `{id}`. */
export function withId(path: string, ids: { server: number; service: number } = EXAMPLE_IDS): string {
  return path.replace("{id}", String(path.includes("/servers") ? ids.server : ids.service));
}

/** An example answer about the thing of this path, as the answer to the request that is shown with it. */
export function answerWithId(path: string, example: unknown, ids: { server: number; service: number }): unknown {
  const { data } = example as { data: object };
  if (!("id" in data) || !path.endsWith("/{id}")) return example;
  return { data: { ...data, id: path.includes("/servers") ? ids.server : ids.service } };
}
