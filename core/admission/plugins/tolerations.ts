/** core/v1 Toleration. */
export interface Toleration {
  readonly key?: string
  readonly operator?: string
  readonly value?: string
  readonly effect?: string
  readonly tolerationSeconds?: number
}

const same = (a: Toleration, b: Toleration) =>
  (a.key ?? '') === (b.key ?? '') &&
  (a.operator ?? '') === (b.operator ?? '') &&
  (a.value ?? '') === (b.value ?? '') &&
  (a.effect ?? '') === (b.effect ?? '') &&
  a.tolerationSeconds === b.tolerationSeconds

/** Whether everything that the second tolerates is tolerated by the first. */
export function covers(wide: Toleration, narrow: Toleration): boolean {
  if (same(wide, narrow)) return true
  const everyKey = !wide.key && wide.operator === 'Exists'
  if ((narrow.key ?? '') !== (wide.key ?? '') && !everyKey) return false
  if (wide.effect && narrow.effect !== wide.effect) return false
  if (wide.effect === 'NoExecute' && wide.tolerationSeconds !== undefined) {
    if (narrow.tolerationSeconds === undefined || narrow.tolerationSeconds > wide.tolerationSeconds) return false
  }
  if (wide.operator === 'Exists') return true
  return (wide.operator || 'Equal') === 'Equal' && wide.operator === narrow.operator && (wide.value ?? '') === (narrow.value ?? '')
}

/** Both lists in their order, without those that another one covers; of equal ones the first stays. */
export function mergeTolerations(first: readonly Toleration[], second: readonly Toleration[]): Toleration[] {
  const all = [...first, ...second]
  const merged: Toleration[] = []
  for (const [index, each] of all.entries()) {
    if (merged.some((kept) => covers(kept, each))) continue
    if (!all.slice(index + 1).some((later) => !same(each, later) && covers(later, each))) merged.push(each)
  }
  return merged
}
