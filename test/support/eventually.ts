/** Resolves as soon as `isSo` holds, looked at every few milliseconds; rejects after ten seconds. */
export async function eventually(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const until = performance.now() + 10_000
  while (!(await isSo())) {
    if (performance.now() > until) throw new Error(`did not come true: ${String(isSo)}`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}
