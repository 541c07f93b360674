import { defineConfig } from "vitest/config";

// npm run screenshots: not part of npm test.
export default defineConfig({
  test: {
    name: "screenshots",
    pool: "forks",
    include: ["test/dashboard/screenshots.ts"],
    globalSetup: ["test/support/setup.ts", "test/support/browser-setup.ts"],
    testTimeout: 5 * 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
  },
});
