const secrets = new Set<string>();

/** Replaces this text with `<key>` in all later output. */
export const hide = (secret: string): void => void secrets.add(secret);

/** Replaces every known secret, and any text in the form of a program key, for example in an error message. */
function withoutKeys(text: string): string {
  let shown = text.replace(/svc_[0-9a-z]+_[\w-]{20,}/g, "<key>");
  for (const secret of secrets) shown = shown.replaceAll(secret, "<key>");
  return shown;
}

/** With `--json`, `say` prints nothing; without it, `data` prints nothing. */
export interface Output {
  /** Prints text for people on stdout. */
  say(text: string): void;
  /** Prints one line of JSON for programs on stdout. */
  data(value: unknown): void;
  /** Prints a remark on stderr. */
  note(text: string): void;
  /** Clears the terminal, if stdout is one. */
  clear(): void;
}

export const createOutput = (isJson: boolean): Output => ({
  say: (text) => void (isJson || process.stdout.write(withoutKeys(`${text}\n`))),
  data: (value) => void (isJson && process.stdout.write(withoutKeys(`${JSON.stringify(value)}\n`))),
  note: (text) => void process.stderr.write(withoutKeys(`${text}\n`)),
  clear: () => void (!isJson && process.stdout.isTTY && process.stdout.write("\x1b[H\x1b[J")),
});

const isColored = process.stdout.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== "dumb";
const paint = (code: number) => (text: string) => (isColored ? `\x1b[${code}m${text}\x1b[0m` : text);
export const bold = paint(1);
export const dim = paint(2);
export const red = paint(31);
export const green = paint(32);
export const yellow = paint(33);
