import { type ImportKind, importKinds } from "../columns.ts";
import { headerKey } from "../headers.ts";
import { dub } from "./dub.ts";
import { firstpromoter } from "./firstpromoter.ts";
import { partnerstack } from "./partnerstack.ts";
import type { Preset } from "./preset.ts";
import { rewardful } from "./rewardful.ts";
import { tolt } from "./tolt.ts";

export const presets: readonly Preset[] = [rewardful, firstpromoter, tolt, partnerstack, dub];

export const findPreset = (id: string): Preset | undefined => presets.find((preset) => preset.id === id);

export interface Detected {
  readonly preset: Preset;
  readonly kind: ImportKind;
}

/** The kinds of file that may have these headers: normally one, or none. */
export function detectPresets(headers: readonly string[]): readonly Detected[] {
  const there = new Set(headers.map(headerKey));
  return presets.flatMap((preset) =>
    importKinds
      .filter((kind) =>
        preset.files[kind]?.detect.some((shape) => shape.every((header) => there.has(headerKey(header)))),
      )
      .map((kind) => ({ preset, kind })),
  );
}
