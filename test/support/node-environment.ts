/**
 * Returns the variables that `scripts/with-node` sets, for a command that inherits no other variable. The command and
 * its child processes first load `preloads`, files in this folder.
 */
export function nodeEnvironment(...preloads: readonly string[]) {
  const { PATH = "", NODE_COMPILE_CACHE = "", NODE_OPTIONS = "" } = process.env;
  // A URL, because a path with a space would be split into two options.
  const options = preloads.map((file) => `--import=${new URL(file, import.meta.url).href}`);
  return { PATH, NODE_COMPILE_CACHE, NODE_OPTIONS: [NODE_OPTIONS, ...options].join(" ") };
}
