/**
 * How operators call one of their commands: `npm run account --`, and in the package, whose bundler sets the variable,
 * `./account`.
 */
export function calledAs(command: string): string {
  return process.env.CONSOLE_IS_PACKAGED ? `./${command}` : `npm run ${command} --`;
}
