import { defineConfig } from "vitest/config";
import { tags } from "./test/support/breadth.ts";

// npm run soak, between every test in its full breadth and test/contract on another shard, which run by vitest.config.ts.
// SOAK_MINUTES, default 10; PROPERTY_RUNS, CORRECTION_HISTORIES, COUPON_HISTORIES, EVIDENCE_HISTORIES, EXPLAIN_RUNS, HISTORY_RUNS, IMPORT_RUNS, PARTNER_HISTORIES,
// PAYOUT_HISTORIES, PROGRAM_HISTORIES, SERIAL_RUNS, MOVE_HISTORIES and MOVE_KILLS.
export default defineConfig({
  resolve: { tsconfigPaths: true },
  test: {
    name: "soak",
    pool: "forks",
    tags,
    include: [
      "test/soak/**/*.test.ts",
      "test/domain/refund-order.test.ts",
      "test/ledger/correction-histories.test.ts",
      "test/ledger/coupon-histories.test.ts",
      "test/ledger/evidence.test.ts",
      "test/ledger/explain.test.ts",
      "test/faults/payouts.test.ts",
      "test/ledger/history.test.ts",
      "test/ledger/payout-history.test.ts",
      "test/ledger/program-histories/program-histories.test.ts",
      "test/ledger/serial-equivalence.test.ts",
      "test/ledger/simulation.test.ts",
      "test/shards/move-history.test.ts",
      "test/faults/moves.test.ts",
      "test/contract/import-properties.test.ts",
      "test/contract/partner-properties.test.ts",
    ],
    env: {
      PROPERTY_RUNS: process.env.PROPERTY_RUNS ?? "200000",
      CORRECTION_HISTORIES: process.env.CORRECTION_HISTORIES ?? "2000",
      COUPON_HISTORIES: process.env.COUPON_HISTORIES ?? "20000",
      EVIDENCE_HISTORIES: process.env.EVIDENCE_HISTORIES ?? "20000",
      EXPLAIN_RUNS: process.env.EXPLAIN_RUNS ?? "1000",
      HISTORY_RUNS: process.env.HISTORY_RUNS ?? "500",
      IMPORT_RUNS: process.env.IMPORT_RUNS ?? "1000",
      PARTNER_HISTORIES: process.env.PARTNER_HISTORIES ?? "200",
      HOLD_KILLS: "10",
      PAYOUT_KILLS: "10",
      PAYOUT_SALES: "10000",
      PAYOUT_HISTORIES: process.env.PAYOUT_HISTORIES ?? "20000",
      PROGRAM_HISTORIES: process.env.PROGRAM_HISTORIES ?? "20000",
      SERIAL_RUNS: process.env.SERIAL_RUNS ?? "1000",
      MOVE_HISTORIES: process.env.MOVE_HISTORIES ?? "200",
      MOVE_KILLS: process.env.MOVE_KILLS ?? "25",
    },
    globalSetup: "test/support/setup.ts",
    testTimeout: (Number(process.env.SOAK_MINUTES ?? 10) + 5) * 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
  },
});
