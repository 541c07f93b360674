/**
 * Writes all log lines of one turn of the event loop together, because each write to a file or a pipe blocks the
 * process. Returns a function that writes the lines that still wait.
 */
export function gatherLog(): () => void {
  let lines = "";
  const flush = () => {
    const text = lines;
    lines = "";
    if (text !== "") process.stdout.write(text);
  };
  const add = (line: unknown) => {
    if (lines === "") setImmediate(flush);
    lines += `${line}\n`;
  };
  console.log = add;
  console.info = add;
  console.warn = add;
  console.error = add;
  return flush;
}

/** Describes a thrown value. An error of a thread may arrive as a plain object with a message and a code. */
export function detailOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.stack ?? thrown.message;
  if (typeof thrown !== "object" || thrown === null || !("message" in thrown)) return String(thrown);
  return "code" in thrown ? `${thrown.message} (${thrown.code})` : String(thrown.message);
}
