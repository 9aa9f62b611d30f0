// An edge node of a test loads this first: its clock can be put forward and back, as somebody sets it. Its
// timers and what it measures are those of a real machine.
import { readFileSync } from "node:fs";

const { timeOrigin } = performance;
const ahead = () => Number(readFileSync(String(process.env.EDGE_CLOCK), "utf8")) * 1000;
Object.defineProperty(performance, "timeOrigin", { get: () => timeOrigin + ahead() });
