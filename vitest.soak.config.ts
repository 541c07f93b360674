import { defineConfig } from "vitest/config";

// npm run soak: not part of npm test. SOAK_MINUTES, default 10; PROPERTY_RUNS and EVIDENCE_HISTORIES.
export default defineConfig({
  resolve: { tsconfigPaths: true },
  test: {
    name: "faults",
    pool: "forks",
    include: [
      "test/soak/**/*.test.ts",
      "test/domain/refund-order.test.ts",
      "test/ledger/evidence.test.ts",
      "test/sdk/stripe-matrix.test.ts",
    ],
    env: {
      PROPERTY_RUNS: process.env.PROPERTY_RUNS ?? "200000",
      STRIPE_MATRIX: "whole",
      EVIDENCE_HISTORIES: process.env.EVIDENCE_HISTORIES ?? "20000",
    },
    globalSetup: "test/support/setup.ts",
    testTimeout: (Number(process.env.SOAK_MINUTES ?? 10) + 5) * 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
  },
});
