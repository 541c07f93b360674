import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ExplainedError } from "../command.ts";

interface Locked {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export const incomplete = "The packages aren't all installed. Run npm ci first.";

/**
 * The folders of the installed packages that the service needs, according to the lock file, without development
 * packages. Throws if one of them isn't installed.
 */
export function productionPackages(root: string): readonly string[] {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, Locked>>;
  };
  const found = new Set<string>();
  const visit = (path: string, { dependencies, optionalDependencies = {} }: Locked) => {
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const place = placeOf(packages, path, name);
      // Type packages aren't needed at run time.
      if (place === undefined || found.has(place) || name.startsWith("@types/")) continue;
      if (!existsSync(join(root, place))) {
        // A missing optional package may be for another platform.
        if (name in optionalDependencies) continue;
        throw new ExplainedError(incomplete);
      }
      found.add(place);
      visit(place, packages[place] ?? {});
    }
  };
  visit("", { dependencies: packages[""]?.dependencies ?? {} });
  return [...found].sort();
}

/** Finds a package like Node does: in the nearest folder above. */
function placeOf(packages: Readonly<Record<string, Locked>>, from: string, name: string): string | undefined {
  const place = `${from === "" ? "" : `${from}/`}node_modules/${name}`;
  if (place in packages) return place;
  if (from === "") return undefined;
  return placeOf(packages, from.slice(0, Math.max(0, from.lastIndexOf("/node_modules/"))), name);
}
