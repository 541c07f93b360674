import { createInterface } from "node:readline/promises";

export const isTerminal = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true;

/** Asks a question on the terminal; the default answer is "no". Returns undefined if the user pressed Ctrl-C. */
export async function confirm(question: string): Promise<boolean | undefined> {
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  const stopped = new Promise<undefined>((resolve) => {
    asking.once("SIGINT", () => resolve(undefined)).once("close", () => resolve(undefined));
  });
  try {
    const answer = await Promise.race([asking.question(`${question} [y/N] `), stopped]);
    return answer === undefined ? undefined : /^y(?:es)?$/i.test(answer.trim());
  } finally {
    asking.close();
  }
}
