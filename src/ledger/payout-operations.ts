// Loaded with the first step of a payout.
export { continuePayout } from "../operations/payouts/continue-payout.ts";
