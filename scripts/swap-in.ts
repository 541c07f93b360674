import { rename, rm } from "node:fs/promises";

/** On the same disk. Of several concurrent calls, the last one wins. */
export async function swapIn(fresh: string, place: string): Promise<void> {
  const old = `${fresh}-old`;
  do {
    await rename(place, old).catch(unless("ENOENT"));
    await rm(old, { recursive: true, force: true });
  } while (!(await rename(fresh, place).then(() => true, unless("ENOTEMPTY", "EEXIST"))));
}

const unless =
  (...codes: string[]) =>
  (error: unknown): false => {
    if (error instanceof Error && "code" in error && codes.includes(String(error.code))) return false;
    throw error;
  };
