import { globSync } from "node:fs";
import { root } from "../root.ts";
import { type Capability, capabilities } from "./capabilities.ts";

const folders = "{src,dashboard,scripts,sdk,importer,runtime,tracker}";

export const productFiles = (): readonly string[] => filesIn(folders);
export const testFiles = (): readonly string[] => filesIn("test");

const filesIn = (pattern: string): readonly string[] =>
  globSync(`${pattern}/**/*`, {
    cwd: root,
    withFileTypes: true,
    exclude: ({ name }) => name === "node_modules" || name === "dist",
  })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `${parentPath}/${name}`.slice(root.length + 1).replace(/^\//, ""))
    .toSorted();

export const rulesOf = ({ rules }: Capability): readonly string[] => split(rules);
export const testRulesOf = ({ testRules = "" }: Capability): readonly string[] => split(testRules);

const split = (rules: string): readonly string[] => rules.split(/\s+/).filter((rule) => rule !== "");

const isPath = (rule: string): boolean => /[./]/.test(rule);

/** The beginning of a door's path. It is ignored, because it states the kind of caller and not the subject. */
const door = /^src\/doors\/\w+\//;

const matches = (rule: string, file: string): boolean =>
  isPath(rule) ? file.startsWith(rule) : new RegExp(`(^|[/._-])${rule}s?(?=[/._-]|$)`).test(file.replace(door, ""));

export interface Owner {
  readonly capability: Capability;
  readonly rule: string;
}

export function ownerOf(file: string): Owner | undefined {
  return firstOwner(file, rulesOf) ?? (file.startsWith("test/") ? firstOwner(file, testRulesOf) : undefined);
}

function firstOwner(file: string, rulesFor: (capability: Capability) => readonly string[]): Owner | undefined {
  for (const capability of capabilities) {
    const rule = rulesFor(capability).find((each) => matches(each, file));
    if (rule !== undefined) return { capability, rule };
  }
  return undefined;
}
