/** A time to wait, rounded up: "a minute", "20 minutes" or "3 hours". */
export function waitText(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 2) return "a minute";
  const hours = Math.ceil(minutes / 60);
  if (minutes < 60) return `${minutes} minutes`;
  return hours === 1 ? "an hour" : `${hours} hours`;
}
