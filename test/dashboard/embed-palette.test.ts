import fc from "fast-check";
import { expect, test } from "vitest";
import { contrast, paletteOf, type Theme } from "../../dashboard/src/embed/palette.ts";

const color = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, "0")}`);
const themes = fc.record({
  accent: fc.option(color),
  background: fc.option(color),
  text: fc.option(color),
});

test("every text of the embedded referral page has enough contrast with its background in any theme", () => {
  fc.assert(
    fc.property(themes, fc.boolean(), (theme, systemIsDark) => {
      const { values } = paletteOf(theme, systemIsDark);
      const { background = "", sunken = "", accent = "" } = values;
      for (const name of ["text", "soft", "accent-text", "good", "warn", "bad"]) {
        for (const below of [background, sunken]) {
          expect(contrast(values[name] ?? "", below), `${name} on ${below}`).toBeGreaterThanOrEqual(4.5);
        }
      }
      expect(contrast(values["accent-ink"] ?? "", accent)).toBeGreaterThanOrEqual(4.5);
    }),
  );
});

test.each<[Theme, boolean, boolean]>([
  [{}, false, false],
  [{}, true, true],
  [{ background: "#ffffff" }, true, false],
  [{ background: "#10131a" }, false, true],
  [{ text: "#f0f0f0" }, false, true],
  [{ text: "#111111" }, true, false],
  [{ accent: "#111111" }, true, true],
])("the theme %j is dark while the system's dark mode is %s: %s", (theme, systemIsDark, isDark) => {
  expect(paletteOf(theme, systemIsDark).isDark).toBe(isDark);
});

test("colors of a theme that already have enough contrast don't change", () => {
  const theme = { accent: "#0b7a75", background: "#fffaf0", text: "#222222", radius: 0, font: "serif" } as const;
  const { values } = paletteOf(theme, true);
  expect(values).toMatchObject({ accent: "#0b7a75", background: "#fffaf0", text: "#222222", radius: "0px" });
  expect(values["accent-text"]).toBe("#0b7a75");
  expect(values.font).toMatch(/serif$/);
});
