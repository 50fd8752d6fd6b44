package template

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// functions returns the functions for expressions in addition to CEL's own. The output of
// each is at most a fixed multiple of its input.
func functions() []cel.EnvOption {
	a, text := cel.TypeParamType("A"), cel.StringType
	texts, textMap := cel.ListType(text), cel.MapType(text, text)
	return []cel.EnvOption{
		cel.Function("when", cel.Overload("when_bool_any", []*cel.Type{cel.BoolType, a}, cel.DynType, cel.BinaryBinding(when))),
		cel.Function("unlessEmpty", cel.Overload("unlessEmpty_any", []*cel.Type{a}, cel.DynType, cel.UnaryBinding(unlessEmpty))),
		cel.Function("entries", cel.Overload("entries_map", []*cel.Type{textMap}, cel.ListType(textMap), cel.UnaryBinding(entries))),
		cel.Function("join", cel.Overload("join_list_string", []*cel.Type{texts, text}, text, cel.BinaryBinding(join))),
		cel.Function("shell", cel.Overload("shell_list", []*cel.Type{texts}, text, cel.UnaryBinding(shell))),
		cel.Function("lower", cel.Overload("lower_string", []*cel.Type{text}, text, cel.UnaryBinding(lower))),
	}
}

// when returns its value if a condition holds, and null otherwise.
func when(condition, value ref.Val) ref.Val {
	if condition == types.True {
		return value
	}
	return types.NullValue
}

// unlessEmpty returns its value, or null if that is an empty text, list or map.
func unlessEmpty(value ref.Val) ref.Val {
	if sized, ok := value.(traits.Sizer); ok && sized.Size() == types.IntZero {
		return types.NullValue
	}
	return value
}

// entries returns a map as a list of mappings with name and value, sorted by name, like
// the environment of a container.
func entries(value ref.Val) ref.Val {
	m, err := stringMap(value)
	if err != nil {
		return types.WrapErr(err)
	}
	list := make([]map[string]string, 0, len(m))
	for _, name := range slices.Sorted(maps.Keys(m)) {
		list = append(list, map[string]string{"name": name, "value": m[name]})
	}
	return types.DefaultTypeAdapter.NativeToValue(list)
}

func join(list, separator ref.Val) ref.Val {
	texts, err := stringList(list)
	if err != nil {
		return types.WrapErr(err)
	}
	between, _ := separator.Value().(string)
	if len(texts)*len(between) > maxValues {
		return types.NewErr("join makes a text of more than %d bytes", maxValues)
	}
	return types.String(strings.Join(texts, between))
}

// shell returns a command as one line that a shell parses into the same words.
func shell(list ref.Val) ref.Val {
	words, err := stringList(list)
	if err != nil {
		return types.WrapErr(err)
	}
	for i, word := range words {
		words[i] = quote(word)
	}
	return types.String(strings.Join(words, " "))
}

// quote quotes a word for a POSIX shell.
func quote(word string) string {
	plain := func(r rune) bool {
		return r < 0x80 && isWord(byte(r)) || strings.ContainsRune("-./:=,@%+", r)
	}
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

func lower(value ref.Val) ref.Val {
	text, _ := value.Value().(string)
	return types.String(strings.ToLower(text))
}

func stringList(value ref.Val) ([]string, error) {
	list, ok := value.(traits.Lister)
	if !ok {
		return nil, fmt.Errorf("there is no list of texts")
	}
	var texts []string
	for it := list.Iterator(); it.HasNext() == types.True; {
		text, ok := it.Next().Value().(string)
		if !ok {
			return nil, fmt.Errorf("an item of the list is no text")
		}
		texts = append(texts, text)
	}
	return texts, nil
}

func stringMap(value ref.Val) (map[string]string, error) {
	m, ok := value.(traits.Mapper)
	if !ok {
		return nil, fmt.Errorf("there is no map of texts")
	}
	texts := map[string]string{}
	for it := m.Iterator(); it.HasNext() == types.True; {
		key := it.Next()
		name, ok := key.Value().(string)
		text, ok2 := m.Get(key).Value().(string)
		if !ok || !ok2 {
			return nil, fmt.Errorf("an entry of the map is no text")
		}
		texts[name] = text
	}
	return texts, nil
}
