// The console's answers to the forms of edge nodes. Only the answer to the form that created a key contains it.

export type NodeKeyAnswer =
  | { kind: "key"; id: number; name: string; rawKey: string }
  | { kind: "refused"; message: string; name: string };
