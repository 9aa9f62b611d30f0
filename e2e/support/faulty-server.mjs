// The server of the console, in which every stage of an answer throws when the request says so: a "fault-" and the name
// of the stage in its URL. The files themselves know nothing of it: they are changed while they are loaded.
import { register } from "node:module";

register("./faulty-server-hooks.mjs", import.meta.url);
await import("../../server/server.mjs");
