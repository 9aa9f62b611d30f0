import { runDemo } from "./demo";
import { writeEdgeProgram } from "./edge-program";

/** `npm run dev`: the demo under Next's development server. */
export async function main(): Promise<void> {
  await writeEdgeProgram();
  await runDemo("development");
}
