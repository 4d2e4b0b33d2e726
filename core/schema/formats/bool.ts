const truth = new Map([
  ...['1', 't', 'T', 'true', 'TRUE', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'false', 'FALSE', 'False'].map((text) => [text, false] as const),
])

/** Parses booleans as Go's strconv.ParseBool; undefined for other words. */
export function parseBool(text: string): boolean | undefined {
  return truth.get(text)
}
