# Reads BUNDLES, one path a line, into the array `bundles`. A path that looks like an option is none.
bundles=()
while IFS= read -r line; do
    line="${line#"${line%%[![:space:]]*}"}"
    line="${line%"${line##*[![:space:]]}"}"
    line="${line%/}"
    case "$line" in
        "") ;;
        -*) bundles+=("./$line") ;;
        *) bundles+=("$line") ;;
    esac
done <<< "$BUNDLES"
if [ ${#bundles[@]} -eq 0 ]; then
    echo "::error title=policyc::The input bundles names none."
    exit 2
fi
