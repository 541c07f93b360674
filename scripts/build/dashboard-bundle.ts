import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build, type Rolldown } from "vite";
import { root } from "../root.ts";
import type { Dashboard } from "./dashboard.ts";

// Runs as NODE_ENV=production node scripts/build/dashboard-bundle.ts <app> <folder>. Bundles one of the apps into the
// folder and prints its sizes.

/** The folders of the apps. Each app is bundled separately, so that partners load nothing of the owner's pages. */
const folders: Readonly<Record<string, string>> = {
  app: "dashboard",
  partner: "dashboard/partner",
  embed: "dashboard/embed",
};

async function bundle(app: string, directory: string): Promise<Dashboard> {
  const folder = folders[app];
  if (folder === undefined) throw new Error(`no app is called ${app}`);
  const built = await build({
    configFile: false,
    envDir: false,
    root: join(root, folder),
    base: `/${app}/`,
    publicDir: false,
    logLevel: "warn",
    // Makes module names independent of the clone if node_modules is a link.
    resolve: { preserveSymlinks: true },
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    build: {
      outDir: directory,
      emptyOutDir: true,
      target: "es2022",
      cssTarget: ["chrome123", "firefox120", "safari17.5"],
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      // Small files compress badly, and each screen would list all of them. So there is one file for modules that at
      // least three screens share, some files for what only a few kinds of pages share, and one for the pages on the
      // way to the first program.
      rolldownOptions: {
        output: {
          codeSplitting: {
            groups: [
              ...[
                "components/chart(-scale)?|pages/overview/(metric-chart|queries)",
                "components/period-filter|period|use-range|pages/overview/metrics|reasons/(why-money|reasons-address)",
                "components/(sorting|selector)",
                "components/statement/(entry-text|closing-sums)|statement-sums",
                "api/(bulk-sender|use-many)|components/(selection-bar|progress)|pages/partners/bulk/running",
                "pages/explain/(unpaid-sale|assign-link|next-step|partner-of-code|partners-in|words|sections|verdict-card)",
                "api/map-concurrent|components/outcome-list|pages/commissions/(decide|decisions|outcomes|commission-badge)|pages/explain/(correctable-sale|decidable)",
                "forms/(mail-outcomes|partner-list)|pages/(import/refusal-titles|partners/coupons/validity-fields)",
                "forms/policy",
                "forms/policy-text|explain/(commission-text|rule-text|tiers-text)|effective-rules",
                "pages/payouts/adjustment",
                "pages/proposal/(change-props|use-proposal)",
              ].map((files, i) => ({
                name: `few-${i}`,
                test: new RegExp(`/(?:dashboard/src|src/domain)/(?:${files})\\.(tsx?|css)$`),
                includeDependenciesRecursively: false,
                priority: 1,
              })),
              {
                name: "rare",
                test: /\/(explain\/(tiers-text|rule-text)|forms\/(units|parse-numbers)|partners\/unknown-codes|payouts\/(refusals|ask-after-restore|pay-day\/statements-of)|src\/select-options|feed-address|event-type|read-only-facts)\.tsx?$/,
                priority: 1,
                includeDependenciesRecursively: false,
              },
              { name: "sending", test: /\/importer\/(send|tally)\.ts$/, priority: 1 },
              {
                name: "coupons",
                test: /\/(src\/domain\/coupons\.ts|partners\/coupons\/(coupon-table|new-coupon|queries|validity-fields))/,
                minShareCount: 2,
                priority: 1,
                includeDependenciesRecursively: false,
              },
              { name: "shared", minShareCount: 3 },
              {
                name: "entrance",
                test: /\/(pages\/(sign-|invitation|reset-password|new-workspace|new-program|save-key)|shell\/unless-signed-in|forms\/new-password-field)/,
                includeDependenciesRecursively: false,
              },
              {
                name: "many",
                test: /\/(importer\/(send|tally)|api\/(use-many|bulk-sender)|forms\/coupon-lines|partners\/bulk\/|coupons\/(check|coupon-calls|coupon-preview|create))/,
                minShareCount: 2,
                priority: 1,
                includeDependenciesRecursively: false,
              },
            ],
          },
        },
      },
    },
  });
  if (!("output" in built)) throw new Error("vite was asked for one build");
  return measure(directory, built.output);
}

async function measure(directory: string, output: Rolldown.RolldownOutput["output"]): Promise<Dashboard> {
  const sizes = new Map<string, number>();
  for (const { fileName } of output) {
    sizes.set(fileName, gzipSync(await readFile(join(directory, fileName)), { level: 9 }).length);
  }
  const chunks = new Map(output.flatMap((part) => (part.type === "chunk" ? [[part.fileName, part]] : [])));
  const sum = (files: Iterable<string>) => [...files].reduce((all, file) => all + (sizes.get(file) ?? 0), 0);
  const closure = (file: string, seen: Set<string> = new Set()): Set<string> => {
    const chunk = chunks.get(file);
    if (seen.has(file) || chunk === undefined) return seen;
    seen.add(file);
    for (const style of chunk.viteMetadata?.importedCss ?? []) seen.add(style);
    for (const imported of chunk.imports) closure(imported, seen);
    return seen;
  };
  const entries = [...chunks.values()].filter(({ isEntry }) => isEntry);
  const atOnce = new Set(["index.html", ...entries.flatMap(({ fileName }) => [...closure(fileName)])]);
  const screens = entries.flatMap(({ dynamicImports }) => dynamicImports.map((file) => closure(file)));
  return {
    gzipBytes: sum(sizes.keys()),
    firstScreenGzipBytes: Math.max(
      ...[new Set<string>(), ...screens].map((screen) => sum(new Set([...atOnce, ...screen]))),
    ),
  };
}

const [app, directory] = process.argv.slice(2);
if (app === undefined || directory === undefined) throw new Error("no app or no folder was named");
console.log(JSON.stringify(await bundle(app, directory)));
