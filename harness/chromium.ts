import { existsSync } from "node:fs";

const installed = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** The path of a Chromium. A test never downloads a browser: the fallback is in an installed npm package. */
export async function findChromium(): Promise<string> {
  const found = process.env.CHROMIUM_PATH || installed.find((path) => existsSync(path));
  if (found) return found;
  const { default: packed } = await import("@sparticuz/chromium");
  return packed.executablePath();
}
