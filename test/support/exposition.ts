import { expect } from "vitest";

export type Series = ReadonlyMap<string, number>;

const head = /^# (HELP|TYPE) ([a-z_]+) (.+)$/;
const sample =
  /^([a-z_]+)(\{([a-z_]+="(?:[^"\\\n]|\\[\\"n])*"(?:,[a-z_]+="(?:[^"\\\n]|\\[\\"n])*")*)\})? (\d+(?:\.\d+)?)$/;

/** Parses Prometheus's text format. Fails the test on anything that a strict scraper would reject. */
export function parseExposition(text: string): Series {
  expect(text.endsWith("\n")).toBe(true);
  const series = new Map<string, number>();
  const families = new Set<string>();
  let family = "";
  let type = "";
  for (const line of text.slice(0, -1).split("\n")) {
    const [, keyword, named = "", told = ""] = head.exec(line) ?? [];
    if (keyword === "HELP") {
      expect(families, line).not.toContain(named);
      families.add(named);
      family = named;
      type = "";
    } else if (keyword === "TYPE") {
      expect([named, type], line).toEqual([family, ""]);
      expect(["counter", "gauge", "histogram"], line).toContain(told);
      expect(named.endsWith("_total"), line).toBe(told === "counter");
      type = told;
    } else {
      const [, name = "", labels = "", , value = ""] = sample.exec(line) ?? expect.fail(`not a sample: ${line}`);
      const suffixes = type === "histogram" ? ["_bucket", "_sum", "_count"] : [""];
      expect(
        suffixes.map((suffix) => family + suffix),
        line,
      ).toContain(name);
      expect(series.has(name + labels), line).toBe(false);
      series.set(name + labels, Number(value));
    }
  }
  expectWholeHistograms(series);
  return series;
}

function expectWholeHistograms(series: Series): void {
  const buckets = [...series].filter(([name]) => name.includes('le="'));
  const groups = Map.groupBy(buckets, ([name]) => name.replace(/,?le="[^"]*"/, "").replace("{}", ""));
  for (const [group, members] of groups) {
    const counts = members.map(([, count]) => count);
    expect(counts, group).toEqual(counts.toSorted((a, b) => a - b));
    const [last, count] = members.at(-1) ?? [];
    expect(last).toContain('le="+Inf"');
    expect(series.get(group.replace("_bucket", "_count")), group).toBe(count);
    expect(series.has(group.replace("_bucket", "_sum")), group).toBe(true);
  }
}
