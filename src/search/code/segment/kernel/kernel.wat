;; The loops of a code search that go through every byte of a text, 16 bytes at a time. `npm run kernel` writes kernel.wasm from it;
;; `kernel.ts` says what lies where in the memory and holds both together.
(module
  (memory (export "memory") 4)

  ;; Whether the text that is looked for, `n` bytes long, stands at `at`.
  (func $stands (param $at i32) (param $n i32) (result i32)
    (local $k i32)
    (loop $next
      (if (i32.ne
            (i32.or
              (i32.load8_u (i32.add (local.get $at) (local.get $k)))
              (i32.load8_u offset=0x10000 (local.get $k)))
            (i32.load8_u (local.get $k)))
        (then (return (i32.const 0))))
      (local.set $k (i32.add (local.get $k) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $k) (local.get $n))))
    (i32.const 1))

  ;; Where it first stands from `at` to `last`, or -1. Bytes `i` and `j` of it are compared first, at 16 places at once.
  (func $find (param $at i32) (param $last i32) (param $n i32) (param $i i32) (param $j i32) (result i32)
    (local $value_i v128) (local $mask_i v128)
    (local $value_j v128) (local $mask_j v128)
    (local $places i32) (local $place i32)
    (local.set $value_i (i8x16.splat (i32.load8_u (local.get $i))))
    (local.set $mask_i (i8x16.splat (i32.load8_u offset=0x10000 (local.get $i))))
    (local.set $value_j (i8x16.splat (i32.load8_u (local.get $j))))
    (local.set $mask_j (i8x16.splat (i32.load8_u offset=0x10000 (local.get $j))))
    (block $nowhere
      (loop $block
        (br_if $nowhere (i32.gt_s (local.get $at) (local.get $last)))
        (local.set $places
          (i8x16.bitmask
            (v128.and
              (i8x16.eq
                (v128.or (v128.load align=1 (i32.add (local.get $at) (local.get $i))) (local.get $mask_i))
                (local.get $value_i))
              (i8x16.eq
                (v128.or (v128.load align=1 (i32.add (local.get $at) (local.get $j))) (local.get $mask_j))
                (local.get $value_j)))))
        (if (local.get $places)
          (then
            (loop $candidate
              (local.set $place (i32.add (local.get $at) (i32.ctz (local.get $places))))
              (br_if $nowhere (i32.gt_s (local.get $place) (local.get $last)))
              (if (call $stands (local.get $place) (local.get $n))
                (then (return (local.get $place))))
              (local.set $places
                (i32.and (local.get $places) (i32.sub (local.get $places) (i32.const 1))))
              (br_if $candidate (local.get $places)))))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br $block)))
    (i32.const -1))

  ;; How many newlines there are from `at` to `end` (without it).
  (func $newlines (param $at i32) (param $end i32) (result i32)
    (local $count i32)
    (block $rest
      (loop $block
        (br_if $rest (i32.gt_u (i32.add (local.get $at) (i32.const 16)) (local.get $end)))
        (local.set $count
          (i32.add
            (local.get $count)
            (i32.popcnt
              (i8x16.bitmask
                (i8x16.eq (v128.load align=1 (local.get $at)) (i8x16.splat (i32.const 10)))))))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br $block)))
    (block $over
      (loop $byte
        (br_if $over (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $count
          (i32.add (local.get $count) (i32.eq (i32.load8_u (local.get $at)) (i32.const 10))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br $byte)))
    (local.get $count))

  ;; Where the line begins to which `at` belongs, `start` being the beginning of a line before it or of its own.
  (func $lineStart (param $at i32) (param $start i32) (result i32)
    (block $found
      (loop $back
        (br_if $found (i32.le_u (local.get $at) (local.get $start)))
        (br_if $found (i32.eq (i32.load8_u (i32.sub (local.get $at) (i32.const 1))) (i32.const 10)))
        (local.set $at (i32.sub (local.get $at) (i32.const 1)))
        (br $back)))
    (local.get $at))

  ;; Behind the first newline from `at` on, or the end.
  (func $lineEnd (param $at i32) (param $end i32) (result i32)
    (block $found
      (loop $on
        (br_if $found (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br_if $on (i32.ne (i32.load8_u (i32.sub (local.get $at) (i32.const 1))) (i32.const 10)))))
    (local.get $at))

  ;; Goes through the lines between `start`, where line number `line` begins, and `end`, and writes down those that hold the text, three
  ;; numbers each: which line, where it begins, where the next one does. Ends when there are `rows` of them; returns how many.
  (func (export "scan")
    (param $start i32) (param $end i32) (param $line i32)
    (param $n i32) (param $i i32) (param $j i32) (param $rows i32) (result i32)
    (local $at i32) (local $row i32) (local $left i32)
    (local.set $row (i32.const 0x20000))
    (local.set $left (local.get $rows))
    (block $over
      (loop $next
        (br_if $over (i32.eqz (local.get $left)))
        (local.set $at
          (call $find
            (local.get $start) (i32.sub (local.get $end) (local.get $n))
            (local.get $n) (local.get $i) (local.get $j)))
        (br_if $over (i32.lt_s (local.get $at) (i32.const 0)))
        (local.set $line
          (i32.add (local.get $line) (call $newlines (local.get $start) (local.get $at))))
        (i32.store (local.get $row) (local.get $line))
        (i32.store offset=4 (local.get $row) (call $lineStart (local.get $at) (local.get $start)))
        (local.set $start
          (call $lineEnd (i32.add (local.get $at) (local.get $n)) (local.get $end)))
        (i32.store offset=8 (local.get $row) (local.get $start))
        (local.set $line (i32.add (local.get $line) (i32.const 1)))
        (local.set $row (i32.add (local.get $row) (i32.const 12)))
        (local.set $left (i32.sub (local.get $left) (i32.const 1)))
        (br $next)))
    (i32.sub (local.get $rows) (local.get $left)))

  ;; Keeps in a set of chunks, which begins at `set` and has so many words of 32 bits, those of a Rice coded list (`rice.ts`) of `bytes`
  ;; bytes. A list that ends early has no more numbers, and chunks that the set has no room for are none.
  (func (export "keep")
    (param $list i32) (param $bytes i32) (param $parameter i32) (param $count i32)
    (param $set i32) (param $words i32)
    (local $bit i32) (local $end i32) (local $bits i64) (local $zeros i32) (local $mask i32)
    (local $next i32) (local $word i32) (local $at i32) (local $kept i32)
    (local.set $end (i32.shl (local.get $bytes) (i32.const 3)))
    (local.set $mask (i32.sub (i32.shl (i32.const 1) (local.get $parameter)) (i32.const 1)))
    (block $over
      (loop $number
        (br_if $over (i32.eqz (local.get $count)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (local.set $zeros (i32.const 0))
        (loop $unary
          (br_if $over (i32.ge_u (local.get $bit) (local.get $end)))
          (local.set $bits (call $bitsAt (local.get $list) (local.get $bit)))
          (if (i64.eqz (local.get $bits))
            (then
              (local.set $zeros (i32.add (local.get $zeros) (i32.const 57)))
              (local.set $bit (i32.add (local.get $bit) (i32.const 57)))
              (br $unary))))
        (local.set $zeros
          (i32.add (local.get $zeros) (i32.wrap_i64 (i64.ctz (local.get $bits)))))
        (local.set $bit
          (i32.add
            (i32.add (local.get $bit) (i32.wrap_i64 (i64.ctz (local.get $bits))))
            (i32.const 1)))
        (br_if $over
          (i32.gt_u (i32.add (local.get $bit) (local.get $parameter)) (local.get $end)))
        (local.set $next
          (i32.add
            (local.get $next)
            (i32.or
              (i32.shl (local.get $zeros) (local.get $parameter))
              (i32.and
                (i32.wrap_i64 (call $bitsAt (local.get $list) (local.get $bit)))
                (local.get $mask)))))
        (local.set $bit (i32.add (local.get $bit) (local.get $parameter)))
        (local.set $word (i32.shr_u (local.get $next) (i32.const 5)))
        (if (i32.ne (local.get $word) (local.get $at))
          (then
            (br_if $over (i32.ge_u (local.get $word) (local.get $words)))
            (call $narrow (local.get $set) (local.get $at) (local.get $kept))
            (loop $between
              (local.set $at (i32.add (local.get $at) (i32.const 1)))
              (if (i32.lt_u (local.get $at) (local.get $word))
                (then
                  (call $narrow (local.get $set) (local.get $at) (i32.const 0))
                  (br $between))))
            (local.set $at (local.get $word))
            (local.set $kept (i32.const 0))))
        (local.set $kept
          (i32.or
            (local.get $kept)
            (i32.shl (i32.const 1) (i32.and (local.get $next) (i32.const 31)))))
        (local.set $next (i32.add (local.get $next) (i32.const 1)))
        (br $number)))
    (call $narrow (local.get $set) (local.get $at) (local.get $kept))
    (local.set $at (i32.add (local.get $at) (i32.const 1)))
    (memory.fill
      (i32.add (local.get $set) (i32.shl (local.get $at) (i32.const 2)))
      (i32.const 0)
      (i32.shl (i32.sub (local.get $words) (local.get $at)) (i32.const 2))))

  ;; At least 57 bits of a list from `bit` on.
  (func $bitsAt (param $list i32) (param $bit i32) (result i64)
    (i64.shr_u
      (i64.load align=1 (i32.add (local.get $list) (i32.shr_u (local.get $bit) (i32.const 3))))
      (i64.extend_i32_u (i32.and (local.get $bit) (i32.const 7)))))

  ;; Keeps of a word of the set what `kept` has too.
  (func $narrow (param $set i32) (param $word i32) (param $kept i32)
    (local $place i32)
    (local.set $place (i32.add (local.get $set) (i32.shl (local.get $word) (i32.const 2))))
    (i32.store (local.get $place) (i32.and (i32.load (local.get $place)) (local.get $kept))))

  ;; The same where the list is a bitmap. Words are a multiple of four.
  (func (export "keepDense") (param $list i32) (param $set i32) (param $words i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $set) (i32.shl (local.get $words) (i32.const 2))))
    (block $over
      (loop $block
        (br_if $over (i32.ge_u (local.get $set) (local.get $end)))
        (v128.store align=1
          (local.get $set)
          (v128.and (v128.load align=1 (local.get $set)) (v128.load align=1 (local.get $list))))
        (local.set $set (i32.add (local.get $set) (i32.const 16)))
        (local.set $list (i32.add (local.get $list) (i32.const 16)))
        (br $block))))

  ;; How many chunks a set has. Words are a multiple of two.
  (func (export "count") (param $set i32) (param $words i32) (result i32)
    (local $end i32) (local $count i64)
    (local.set $end (i32.add (local.get $set) (i32.shl (local.get $words) (i32.const 2))))
    (block $over
      (loop $next
        (br_if $over (i32.ge_u (local.get $set) (local.get $end)))
        (local.set $count
          (i64.add (local.get $count) (i64.popcnt (i64.load align=1 (local.get $set)))))
        (local.set $set (i32.add (local.get $set) (i32.const 8)))
        (br $next)))
    (i32.wrap_i64 (local.get $count))))
