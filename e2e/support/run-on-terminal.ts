import { type Ended, runProgram } from "./run-program";

/** Types the lines once a program asks for a token: what is typed before is dropped. */
const ON_A_TERMINAL = `
import os, pty, sys
lines, command = sys.argv[1], sys.argv[2:]
child, terminal = pty.fork()
if child == 0:
    os.execvp(command[0], command)
shown = b""
while True:
    try:
        part = os.read(terminal, 65536)
    except OSError:
        break
    if not part:
        break
    shown += part
    if lines and b"Token (not shown)" in shown:
        os.write(terminal, lines.encode())
        lines = ""
sys.stdout.buffer.write(shown)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
`;

/** Runs a command to its end on a terminal of its own, which needs python3. `output`: all that the terminal shows. */
export function runOnTerminal(command: string[], variables: Record<string, string> = {}, typed = ""): Promise<Ended> {
  return runProgram("python3", ["-c", ON_A_TERMINAL, typed, ...command], variables);
}
