import { exit } from "node:process";
import { type Capability, capabilities } from "./capabilities.ts";
import { ownerOf, productFiles, testFiles } from "./owner.ts";

// npm run map: lists the capabilities by chapter. With the name of a capability, lists all its files. With the path of
// a file, prints its capability.

const filesOf = ({ name }: Capability, files: readonly string[]): readonly string[] =>
  files.filter((file) => ownerOf(file)?.capability.name === name);

function contents(): string {
  const files = productFiles();
  const chapters = [...new Set(capabilities.map(({ chapter }) => chapter))].toSorted();
  return chapters
    .map((chapter) => {
      const own = capabilities.filter((capability) => capability.chapter === chapter);
      return [chapter, ...own.map((each) => `  ${each.name} (${filesOf(each, files).length} files)`)].join("\n");
    })
    .join("\n\n");
}

function answer(asked: string | undefined): string | undefined {
  if (asked === undefined) return `${contents()}\n\nnpm run map -- payouts lists all files of one, and its tests.`;
  if (asked.includes("/")) return ownerOf(asked)?.capability.name;
  const begins = capabilities.filter(({ name }) => name.toLowerCase().startsWith(asked.toLowerCase()));
  const found = begins.find(({ name }) => name.length === asked.length) ?? begins[0];
  return found && [...filesOf(found, productFiles()), ...filesOf(found, testFiles())].join("\n");
}

const asked =
  process.argv
    .slice(2)
    .filter((word) => word !== "--")
    .join(" ") || undefined;
const text = answer(asked);
console.log(text ?? `No capability is called ${asked}. npm run map lists them.`);
if (text === undefined) exit(1);
