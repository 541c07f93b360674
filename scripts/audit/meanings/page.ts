import { type Meanings, remedies } from "./meaning.ts";
import { areas } from "./meanings.ts";

const begin = "<!-- From scripts/audit/meanings, by `npm run audit:page` -->";
const end = "<!-- End -->";

const anchorOf = (title: string): string => title.toLowerCase().replaceAll(" ", "-");

const tableOf = (meanings: Meanings): readonly string[] => [
  "| finding | what it means | what to do |",
  "|---|---|---|",
  ...Object.entries(meanings).map(([rule, [means, remedy]]) => {
    const [title] = remedies[remedy];
    return `| ${rule} | ${means} | [${title}](#what-to-do-${anchorOf(title)}) |`;
  }),
];

/** Returns `page` with its rules replaced by the current ones. */
export function withRules(page: string): string {
  const [before, rest] = [page.slice(0, page.indexOf(begin)), page.slice(page.indexOf(end))];
  const text = [
    begin,
    "",
    ...Object.values(remedies).flatMap(([title, todo]) => [`### What to do: ${title}`, "", todo, ""]),
    ...Object.entries(areas).flatMap(([area, meanings]) => [`## ${area}`, "", ...tableOf(meanings), ""]),
  ];
  return `${before}${text.join("\n")}\n${rest}`;
}
