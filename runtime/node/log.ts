/**
 * Lines of one turn are written at once: each write to a file or a pipe holds up the process. Returns what writes those that wait.
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
