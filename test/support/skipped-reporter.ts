import { relative } from "node:path";
import type { Plugin } from "vitest/config";
import type { Reporter, TestCase, TestModule } from "vitest/node";
import { root } from "../../scripts/root.ts";
import { isWhole, soakTag } from "./breadth.ts";

function list(reason: string, skipped: readonly TestCase[]): void {
  if (skipped.length === 0) return;
  const lines = [...Map.groupBy(skipped, ({ module }) => module)].map(([module, { length }]) => {
    const all = [...module.children.allTests()].length;
    return `  ${relative(root, module.moduleId)}: ${length === all ? "all" : `${length} of ${all}`}`;
  });
  console.log(`\n${reason} (${skipped.length}):\n${lines.toSorted().join("\n")}`);
}

/** False for a test that the options `-t` or `--tags-filter` exclude. */
function isAskedFor({ fullName, project }: TestCase): boolean {
  const { testNamePattern, tagsFilter } = project.globalConfig;
  return tagsFilter === undefined && (testNamePattern?.test(fullName.replaceAll(" > ", " ")) ?? true);
}

/** Lists the skipped tests by reason. */
const reporter: Reporter = {
  onTestRunEnd: (modules) => {
    const skipped = modules.flatMap((module: TestModule) =>
      [...module.children.allTests("skipped")].filter(isAskedFor),
    );
    const isLeft = ({ tags }: TestCase) => !isWhole && tags.includes(soakTag.name);
    list(soakTag.description ?? soakTag.name, skipped.filter(isLeft));
    list(
      "Skipped, since this machine lacks something",
      skipped.filter((test) => !isLeft(test)),
    );
  },
};

/** Adds the reporter to those that the command line names. */
export const skippedReporter: Plugin = {
  name: "skipped-reporter",
  configureVitest: ({ vitest }) => {
    if (!vitest.config.reporters.includes(reporter)) vitest.config.reporters.push(reporter);
  },
};
