/** The local runtime counts by the minutes of the clock; what was sent across the turn of one is sent anew. */
export async function withinMinute<T>(send: () => Promise<T>): Promise<T> {
  for (;;) {
    const minute = Math.floor(Date.now() / 60_000);
    const sent = await send();
    if (Math.floor(Date.now() / 60_000) === minute) return sent;
  }
}
