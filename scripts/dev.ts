import { runDemo } from "./demo";

/** `npm run dev`: the demo under Next's development server. */
export async function main(): Promise<void> {
  await runDemo("development");
}
