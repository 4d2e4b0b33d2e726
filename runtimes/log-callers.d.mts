export function placeLogCalls(text: string, path: string): string
