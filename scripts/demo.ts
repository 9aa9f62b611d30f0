import { runDemo } from "./run-demo";

/** `npm run demo`: a console full of living data, built for production, from nothing. */
export async function main(): Promise<void> {
  await runDemo("production");
}
