# Has the command GIGA write its completion scripts and manual pages to OUT.
file(REMOVE_RECURSE ${OUT})
file(MAKE_DIRECTORY ${OUT}/bash ${OUT}/zsh ${OUT}/fish)
foreach(file bash/giga zsh/_giga fish/giga.fish)
  get_filename_component(shell ${file} DIRECTORY)
  execute_process(COMMAND ${GIGA} completion ${shell} OUTPUT_FILE ${OUT}/${file} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
execute_process(COMMAND ${GIGA} man --out ${OUT}/man1 COMMAND_ERROR_IS_FATAL ANY)
file(TOUCH ${OUT}/made)
