/** A time to wait, rounded up: "a minute", "20 minutes" or "3 hours". */
export function waitText(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 2) return "a minute";
  if (minutes < 60) return `${minutes} minutes`;
  return minutes > 60 ? `${Math.ceil(minutes / 60)} hours` : "an hour";
}
