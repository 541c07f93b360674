/** The local runtime counts limits per clock minute. Repeats calls that were sent across a minute's end. */
export async function withinMinute<T>(send: () => Promise<T>): Promise<T> {
  for (;;) {
    const minute = Math.floor(Date.now() / 60_000);
    const sent = await send();
    if (Math.floor(Date.now() / 60_000) === minute) return sent;
  }
}
