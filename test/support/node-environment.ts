/**
 * The variables that `scripts/with-node` sets, for a command that gets nothing else of this machine's environment. It
 * and its children first load `preloads`, files of this folder.
 */
export function nodeEnvironment(...preloads: readonly string[]) {
  const { PATH = "", NODE_COMPILE_CACHE = "", NODE_OPTIONS = "" } = process.env;
  // A URL, since a space in a path would end the option.
  const options = preloads.map((file) => `--import=${new URL(file, import.meta.url).href}`);
  return { PATH, NODE_COMPILE_CACHE, NODE_OPTIONS: [NODE_OPTIONS, ...options].join(" ") };
}
